/* A program without MPI that loads a module with it, for the module alone, as python does:
 *
 *   module_host MODULE
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* const module = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
  int (*run)(void) = NULL;
  if (module != NULL) *(void**)&run = dlsym(module, "runModule");
  if (run == NULL) {
    fprintf(stderr, "module_host: %s\n", dlerror());
    return 2;
  }
  return run() != 0;
}
