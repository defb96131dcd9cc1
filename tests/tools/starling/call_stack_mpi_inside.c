/* The MPI library as a part of a program. */
#define PART_MPI
#undef PART_C_PROGRAM
#include "call_stack_parts.c"
