/* Preloaded into MPICH's ranks by `cluster run --mpich`: lets MPI_Finalize end.
 *
 * There, MPICH 4.0 closes its UCX connections one by one, each with a question that the other side has to answer, and
 * then waits in a barrier in which it answers nothing (pmodels/mpich, pull request 6596). Where ranks share cores, a
 * rank is in that barrier before another has asked it, and both wait for ever. Connections that are not closed go with
 * their process; by then every request of the program is complete. */
void* ucp_disconnect_nb(void* connection);

void* ucp_disconnect_nb(void* connection) {
  (void)connection;
  return 0; /* closed at once */
}
