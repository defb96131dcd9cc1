#include "load_order.h"

#include <sstream>

#include "base/printable.h"
#include "process_output.h"

namespace starling::cli {
namespace {

// Reads "\tlibm.so.6 => /lib/libm.so.6 (0x7f...)", "\t/opt/libtool.so (0x7f...)" or "\tlibm.so.6 => not found".
void takeLibrary(const std::string& line, LoadOrder& order) {
  static const std::string kArrow = " => ";
  const std::size_t arrow = line.find(kArrow);
  const std::string path = line.substr(arrow == std::string::npos ? 1 : arrow + kArrow.size());
  if (path.starts_with("not found")) {
    order.missing.push_back(line.substr(1, arrow - 1));
  } else if (path.starts_with("/")) {
    order.libraries.push_back(path.substr(0, path.rfind(" (")));
  }
}

// Reads "ERROR: ld.so: object 'libtool.so' from LD_PRELOAD cannot be preloaded (...): ignored."
void takeFault(const std::string& line, LoadOrder& order) {
  static const std::string kObject = "object '";
  const std::size_t object = line.find(kObject);
  if (object == std::string::npos || line.find("cannot be preloaded") == std::string::npos) return;
  const std::size_t name = object + kObject.size();
  order.missing.push_back(line.substr(name, line.find('\'', name) - name));
}

}  // namespace

LoadOrder parseLoadOrder(const std::string& text) {
  LoadOrder order;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("\t")) {
      takeLibrary(line, order);
    } else {
      takeFault(line, order);
    }
  }
  return order;
}

LoadOrder loadOrder(const std::string& interpreter, const std::string& program, const std::string& preload) {
  // The command sets LD_PRELOAD by `env`, so that the shell itself is started without the libraries.
  return parseLoadOrder(outputOf("env LD_PRELOAD=" + quotedForShell(preload) + " " + quotedForShell(interpreter) +
                                 " --list " + quotedForShell(program) + " 2>&1"));
}

}  // namespace starling::cli
