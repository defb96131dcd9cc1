"""The papers' own figures, as data. Nothing here is measured."""

# Proficz (2018), "Improving all-reduce collective operations for imbalanced process arrival patterns", section 5.
PROFICZ_RANKS = 48
PROFICZ_DELAYS = (0, 1, 5, 10, 50, 100, 500, 1000)  # ms
PROFICZ_SIZES = (128, 512, 1024, 2048, 4096, 8192)  # Ki floats
PROFICZ_PROCESSES = (4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48)

# Table 3: mean elapsed time in ms, over PROFICZ_DELAYS; 1 Mi floats, one process late.
PROFICZ_TABLE_3 = {
    "ring": (67.8, 67.6, 70.1, 75.6, 115.9, 165.5, 558.6, 1047.0),
    "rabenseifner": (76.3, 75.9, 82.9, 85.7, 125.0, 181.6, 572.0, 1061.8),
    "slt": (90.3, 90.3, 89.7, 89.7, 101.0, 149.8, 542.1, 1031.9),
    "prr": (70.9, 70.8, 71.1, 73.0, 101.0, 149.7, 541.7, 1031.5),
}

# Table 4: PRR's mean elapsed time minus the ring's in ms, and the ring's divided by PRR's, over PROFICZ_DELAYS.
PROFICZ_TABLE_4 = {
    ("one-late", 128): (
        (1.0, 1.5, -5.0, -4.1, -4.3, -3.2, -0.9, -0.8),
        (0.85, 0.78, 1.53, 1.26, 1.08, 1.03, 1.00, 1.00),
    ),
    ("one-late", 512): (
        (-1.0, -0.3, -10.3, -12.6, -16.4, -11.6, -1.5, -1.7),
        (1.04, 1.01, 1.37, 1.41, 1.26, 1.10, 1.00, 1.00),
    ),
    ("one-late", 1024): (
        (2.9, 3.7, 1.2, -3.2, -14.1, -15.2, -15.8, -16.0),
        (0.96, 0.95, 0.98, 1.04, 1.14, 1.10, 1.03, 1.02),
    ),
    ("one-late", 2048): (
        (7.8, 6.4, 3.4, -1.7, -8.5, -23.9, -27.1, -27.7),
        (0.93, 0.94, 0.97, 1.02, 1.06, 1.13, 1.05, 1.03),
    ),
    ("one-late", 4096): (
        (7.6, 6.0, 5.2, 2.8, -20.9, -29.6, -38.1, -46.8),
        (0.96, 0.97, 0.97, 0.99, 1.10, 1.12, 1.06, 1.04),
    ),
    ("one-late", 8192): (
        (5.8, 17.0, 13.7, 11.7, -29.0, -52.1, -75.7, -82.1),
        (0.98, 0.95, 0.96, 0.97, 1.08, 1.14, 1.10, 1.07),
    ),
    ("rand-late", 128): (
        (1.2, 1.0, -1.1, -1.1, -2.7, -1.0, -0.9, -1.3),
        (0.82, 0.85, 1.11, 1.09, 1.09, 1.02, 1.00, 1.00),
    ),
    ("rand-late", 512): (
        (2.3, -0.3, -9.5, -9.3, -16.3, -11.5, -2.3, -2.9),
        (0.91, 1.01, 1.37, 1.35, 1.38, 1.18, 1.01, 1.01),
    ),
    ("rand-late", 1024): (
        (2.9, 3.8, 1.7, 0.7, -13.0, -13.2, -14.1, -14.5),
        (0.96, 0.95, 0.98, 0.99, 1.17, 1.13, 1.05, 1.03),
    ),
    ("rand-late", 2048): (
        (7.1, 8.3, 4.8, 3.0, -8.8, -21.2, -23.9, -24.5),
        (0.94, 0.92, 0.96, 0.97, 1.08, 1.16, 1.07, 1.04),
    ),
    ("rand-late", 4096): (
        (6.1, 0.1, 3.2, 5.6, -21.8, -19.0, -42.6, -39.8),
        (0.97, 1.00, 0.98, 0.97, 1.11, 1.09, 1.11, 1.06),
    ),
    ("rand-late", 8192): (
        (13.8, 16.3, 6.8, 7.1, 0.4, -34.4, -75.9, -75.1),
        (0.96, 0.95, 0.98, 0.98, 1.00, 1.10, 1.15, 1.10),
    ),
}

# Section 6: a network is trained on 16 nodes; each iteration ends with an allreduce of all its parameters.
PROFICZ_TRAINING_RANKS = 16
PROFICZ_TRAINING_PARAMETERS = 145578  # floats
PROFICZ_TRAINING_ITERATIONS = 390
# Table 5: mean elapsed time of the allreduce, and time of the training, in ms.
PROFICZ_TABLE_5 = {"ring": (35.7, 81900), "slt": (33.1, 78768), "prr": (31.9, 78604)}

# Soga, Kurihara, Nanri, Kurokawa, Murakami (2007), "Dynamic optimization of load balance in MPI broadcast": the share
# of the overall time of MPI_Bcast that is saved.
SOGA_SAVED = 0.4

# Marendic, Lemeire, Haber, Vucinic, Schelkens (2012), "An investigation into the performance of reduction algorithms
# under load imbalance", section 5.
MARENDIC_RANKS = 128
MARENDIC_ELEMENTS = 1024000
MARENDIC_DELAYS = (10, 20, 30, 40, 60)  # ms
MARENDIC_BANDWIDTH = 3.5e9  # bytes per second, measured by the authors
MARENDIC_ALPHA = 3.13e-6  # seconds per message
MARENDIC_GAMMA = 1.79e-10  # seconds

# Table 1: run time of a reduce in ms, from the start of the imbalance on, over MARENDIC_DELAYS.
MARENDIC_TABLE_1 = {
    "local reduce": (46.6108, 45.8913, 46.6785, 50.597, 69.5058),
    "default": (50.2286, 59.9159, 69.6198, 79.698, 99.6538),
}
