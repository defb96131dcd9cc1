// Writes databases for report_browser_test.py into the folder that is given.
#include "report_examples.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = std::string(argv[1]) + "/";
  starling::cli::writeExampleDatabase(folder + "example.db");
  starling::cli::writeScriptDatabase(folder + "script.db");
  starling::cli::writeRun(folder + "silent.db", starling::cli::exampleRun("silent"), starling::Batch());
  return 0;
}
