"""The slurm.conf of a batch system whose nodes are all on this machine."""


def slurm_conf(folder, ports, cpus):
    """The text of the file. `ports` has the controller's first and then one for each node; `cpus` are those of a node,
    which may be more than the machine has.
    """
    controller, *nodes = ports
    lines = [
        "ClusterName=starling",
        "SlurmctldHost=controller(127.0.0.1)",
        f"SlurmctldPort={controller}",
        "SlurmUser=root",
        "AuthType=auth/munge",
        f"AuthInfo=socket={folder}/munge/socket",
        "CredType=cred/munge",
        f"StateSaveLocation={folder}/controller",
        f"SlurmctldPidFile={folder}/controller/slurmctld.pid",
        f"SlurmdSpoolDir={folder}/%n/spool",
        f"SlurmdPidFile={folder}/%n/slurmd.pid",
        "ProctrackType=proctrack/pgid",
        "TaskPlugin=task/none",
        "SelectType=select/cons_tres",
        "SelectTypeParameters=CR_CPU",
        "SlurmdParameters=config_overrides",
        "MpiDefault=pmix",
        "JobAcctGatherType=jobacct_gather/none",
        "AccountingStorageType=accounting_storage/none",
        "SchedulerParameters=batch_sched_delay=0",
        # A machine with more to do than it can is slow, and its nodes are not down for that.
        "SlurmdTimeout=0",
        "MessageTimeout=60",
        "BatchStartTimeout=120",
        "KillWait=3",
        "ReturnToService=2",
        *(f"NodeName=n{index} NodeAddr=127.0.0.1 Port={port} CPUs={cpus}" for index, port in enumerate(nodes, 1)),
        "PartitionName=lab Nodes=ALL Default=YES MaxTime=INFINITE State=UP",
    ]
    return "\n".join(lines) + "\n"
