#include "call_stack.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/printable.h"
#include "installation.h"
#include "launch.h"
#include "load_order.h"

namespace starling::cli {
namespace {

// A function that Starling wraps, and the name under which the MPI library offers it to wrappers.
struct Wrapped {
  explicit Wrapped(const std::string& wrapped) : name(wrapped), below((wrapped[0] == 'M' ? "P" : "p") + wrapped) {}

  std::string name;
  std::string below;
};

#define STARLING_FORTRAN_NAMES(init, init_thread, allreduce) Wrapped(#allreduce),
const std::vector<Wrapped> kAllreduces{
    Wrapped("MPI_Allreduce"),
#include "preload/fortran_names.inc"
};
#undef STARLING_FORTRAN_NAMES
const Wrapped kInit("MPI_Init");

std::string nameOf(const LoadedObject& object) { return std::filesystem::path(object.path).filename(); }

bool isStarling(const LoadedObject& object) { return nameOf(object) == kPreloadName; }

// Tools define functions, but not those with a P; the MPI library defines both.
bool isMpi(const LoadedObject& object) {
  return object.elf.defined.contains(kInit.below) ||
         std::any_of(kAllreduces.begin(), kAllreduces.end(),
                     [&](const Wrapped& function) { return object.elf.defined.contains(function.below); });
}

bool defines(const LoadedObject& object, const Wrapped& function) { return object.elf.defined.contains(function.name); }

bool isTool(const LoadedObject& object) {
  return !isMpi(object) && !isStarling(object) &&
         std::any_of(kAllreduces.begin(), kAllreduces.end(),
                     [&](const Wrapped& function) { return defines(object, function); });
}

// Returns the first of the program's own parts that takes a name that begins so from another library, if any.
const LoadedObject* firstThatUses(const CallStack& stack, const std::string& beginning) {
  for (const LoadedObject& object : stack.objects) {
    if (isMpi(object) || isStarling(object) || isTool(object)) continue;
    const auto name = object.elf.undefined.lower_bound(beginning);
    if (name != object.elf.undefined.end() && name->starts_with(beginning)) return &object;
  }
  return nullptr;
}

const LoadedObject* firstThatCalls(const CallStack& stack, const Wrapped& function) {
  for (const LoadedObject& object : stack.objects) {
    if (!isMpi(object) && object.elf.undefined.contains(function.name)) return &object;
  }
  return nullptr;
}

bool usesMpi(const CallStack& stack) {
  return firstThatUses(stack, "MPI_") != nullptr || firstThatUses(stack, "mpi_") != nullptr;
}

Finding checkUse(const CallStack& stack, const std::vector<Wrapped>& used) {
  const std::string program = nameOf(stack.objects.front());
  if (!used.empty()) {
    std::vector<std::string> calls;
    for (const Wrapped& function : used) {
      const LoadedObject* caller = firstThatCalls(stack, function);
      calls.push_back(fmt::format("{} calls {}", caller == nullptr ? program : nameOf(*caller), function.name));
    }
    return {Health::kOk, "program", fmt::format("{}", fmt::join(calls, ", ")), ""};
  }
  if (firstThatUses(stack, "tuned_") != nullptr) {
    return {Health::kOk, "program", program + " calls Starling by name and needs no preloading", ""};
  }
  if (usesMpi(stack)) {
    return {Health::kWarning, "program",
            program + " uses MPI, but does not call MPI_Allreduce: there is nothing to tune",
            "nothing to do if it loads libraries that call it at run time; Starling then finds the calls"};
  }
  return {Health::kWarning, "program", program + " is not linked with MPI: there is nothing to tune",
          "nothing to do if it loads MPI at run time, as python does with mpi4py; Starling then finds the calls"};
}

// Returns the path of the first MPI library among the objects, or an empty one.
std::string firstMpi(const std::vector<LoadedObject>& objects) {
  const auto mpi = std::find_if(objects.begin(), objects.end(), [](const LoadedObject& object) {
    return object.elf.defined.contains(kAllreduces.front().below);
  });
  return mpi == objects.end() ? "" : mpi->path;
}

Finding checkMpiLibraries(const CallStack& stack) {
  const std::string own = firstMpi(stack.objects);
  if (own == stack.objects.front().path) {
    return {Health::kFault, "MPI library", own + " has an MPI library linked into it, which Starling cannot use",
            "link the program with the MPI library's shared libraries"};
  }
  if (stack.mpi_of_starling.empty()) {
    return {Health::kFault, "MPI library", "Starling's is not found",
            "install Starling and the MPI library completely"};
  }
  std::error_code ignored;
  if (own.empty() || std::filesystem::equivalent(own, stack.mpi_of_starling, ignored)) {
    return {Health::kOk, "MPI library", stack.mpi_of_starling, ""};
  }
  return {Health::kFault, "MPI library",
          fmt::format("the program is linked with {}, Starling with {}", own, stack.mpi_of_starling),
          "build Starling with the MPI library of the program (MPI_HOME or MPI_C_COMPILER tells CMake which)"};
}

// Judges an object in which the function is found before Starling is looked at.
Finding inFront(const LoadedObject& tool, bool is_program, const Wrapped& function) {
  const std::string name = nameOf(tool);
  const std::string remedy = is_program
                                 ? "link the wrapper as a shared library of its own, or call tuned_allreduce in it"
                                 : fmt::format("name {} in LD_PRELOAD before {}", kPreloadName, name);
  if (isMpi(tool)) {
    return {Health::kFault, "call order", fmt::format("the {} of {} is in front of Starling", function.name, name),
            "link the program with the MPI library's shared libraries"};
  }
  const bool passes = tool.elf.undefined.contains(function.below) || tool.elf.undefined.contains(kAllreduces[0].below);
  if (passes) {
    return {Health::kFault, "call order",
            fmt::format("{} wraps {} in front of Starling and calls {}: Starling sees no call", name, function.name,
                        tool.elf.undefined.contains(function.below) ? function.below : kAllreduces[0].below),
            remedy};
  }
  return {Health::kWarning, "call order",
          fmt::format("{} wraps {} in front of Starling, which sees the calls only if it calls the next {}, and then "
                      "takes all of them for calls from one place",
                      name, function.name, function.name),
          remedy};
}

std::vector<Finding> checkOrder(const CallStack& stack, const Wrapped& function) {
  std::vector<Finding> findings;
  std::vector<std::string> behind;
  bool is_behind = false;
  for (const LoadedObject& object : stack.objects) {
    if (!defines(object, function)) continue;
    if (is_behind) behind.push_back(nameOf(object) + (isMpi(object) ? "" : ", which sees what is left to MPI"));
    if (!is_behind && !isStarling(object))
      findings.push_back(inFront(object, &object == &stack.objects.front(), function));
    is_behind = is_behind || isStarling(object);
  }
  if (!is_behind) {
    return {{Health::kFault, "call order", std::string(kPreloadName) + " does not wrap " + function.name,
             "build or install Starling completely"}};
  }
  if (findings.empty()) {
    const std::string then =
        behind.empty() ? "what the program loads at run time" : fmt::format("{}", fmt::join(behind, "; then "));
    findings.push_back(
        {Health::kOk, "call order", fmt::format("{}: Starling comes first, then {}", function.name, then), ""});
  }
  return findings;
}

// Looks for a tool that wraps MPI_Init in front of Starling, but not the allreduces.
std::optional<Finding> checkInit(const CallStack& stack) {
  for (const LoadedObject& object : stack.objects) {
    if (isStarling(object)) break;
    if (isTool(object) || isMpi(object) || !defines(object, kInit) || !object.elf.undefined.contains(kInit.below))
      continue;
    return Finding{Health::kWarning, "call order",
                   nameOf(object) +
                       " wraps MPI_Init in front of Starling and calls PMPI_Init: Starling begins at the "
                       "first allreduce",
                   fmt::format("name {} in LD_PRELOAD before {}", kPreloadName, nameOf(object))};
  }
  return std::nullopt;
}

std::vector<Wrapped> usedFunctions(const CallStack& stack) {
  std::vector<Wrapped> used;
  for (const Wrapped& function : kAllreduces) {
    // A program that defines the function calls it, too, and its linker has already resolved that.
    const LoadedObject& program = stack.objects.front();
    if (firstThatCalls(stack, function) != nullptr || defines(program, function)) used.push_back(function);
  }
  return used;
}

bool isScript(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return file.get() == '#' && file.get() == '!';
}

bool isLauncher(const std::string& path) {
  static constexpr std::array<const char*, 8> kNames{"mpirun", "mpiexec", "orterun", "prterun",
                                                     "srun",   "aprun",   "jsrun",   "starling"};
  const std::string name = std::filesystem::path(path).filename();
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::vector<Finding> unreadable(const std::string& path, const Status& status) {
  if (!isScript(path)) {
    return {{Health::kFault, "program", status.message(), "name the program that the ranks run"}};
  }
  return {{Health::kWarning, "program", path + " is a script: what it starts cannot be seen from here",
           "name the program that it starts, with that program's arguments"}};
}

std::string preloadOf(const Entries& environment, const std::string& library) {
  for (const std::string& entry : environment) {
    if (!entry.starts_with("LD_PRELOAD=")) continue;
    const std::vector<std::string> libraries = preloadedLibraries(entry.substr(entry.find('=') + 1));
    const bool names_starling = std::any_of(libraries.begin(), libraries.end(), [](const std::string& path) {
      return std::filesystem::path(path).filename() == kPreloadName;
    });
    if (names_starling) return fmt::format("{}", fmt::join(libraries, ":"));
  }
  return rankEnvironment(environment, library).preload;
}

void appendLibraries(const LoadOrder& order, std::vector<LoadedObject>& objects) {
  for (const std::string& path : order.libraries) {
    Result<ElfFile> library = readElf(path);
    if (library.isOk()) objects.push_back({path, std::move(library).value()});
  }
}

// Whoever asks a dynamic linker starts it, and a program names its own.
bool isOwnLoader(const std::string& interpreter) {
  const Result<ElfFile> own = readElf("/proc/self/exe");
  std::error_code fault;
  return own.isOk() && std::filesystem::equivalent(interpreter, own.value().interpreter, fault);
}

}  // namespace

CallStack readCallStack(const std::string& program, const ElfFile& elf, const std::string& preload) {
  CallStack stack;
  stack.objects.push_back({program, elf});
  LoadOrder order = loadOrder(elf.interpreter, program, preload);
  stack.missing = std::move(order.missing);
  appendLibraries(order, stack.objects);
  const auto starling = std::find_if(stack.objects.begin(), stack.objects.end(), isStarling);
  if (starling == stack.objects.end()) return stack;
  // The preload library loads this one when the program begins to use MPI.
  const std::filesystem::path library = std::filesystem::path(starling->path).parent_path() / STARLING_LIBRARY;
  order = loadOrder(elf.interpreter, library, "");
  stack.missing.insert(stack.missing.end(), order.missing.begin(), order.missing.end());
  std::vector<LoadedObject> needed;
  appendLibraries(order, needed);
  stack.mpi_of_starling = firstMpi(needed);
  return stack;
}

std::vector<Finding> checkCallStack(const CallStack& stack) {
  std::vector<Finding> findings;
  for (const std::string& library : stack.missing) {
    findings.push_back({Health::kFault, "program", library + " is not found",
                        "set LD_LIBRARY_PATH to its folder, or take it out of LD_PRELOAD"});
  }
  std::vector<Wrapped> used = usedFunctions(stack);
  findings.push_back(checkUse(stack, used));
  findings.push_back(checkMpiLibraries(stack));
  // A library that is loaded at run time will most likely call this function.
  if (used.empty()) used.push_back(kAllreduces.front());
  for (const Wrapped& function : used) {
    const std::vector<Finding> order = checkOrder(stack, function);
    findings.insert(findings.end(), order.begin(), order.end());
  }
  if (const std::optional<Finding> init = checkInit(stack)) findings.push_back(*init);
  return findings;
}

std::vector<Finding> checkCommand(const std::string& command, const std::string& search_path,
                                  const Entries& environment, const std::string& library) {
  const auto found = command.find('/') == std::string::npos ? findProgram(command, search_path)
                                                            : std::optional<std::filesystem::path>(command);
  if (!found) {
    return {{Health::kFault, "program", command + " is not in PATH", "write its path, as in ./" + command}};
  }
  const std::string path = found->string();
  if (isLauncher(path)) {
    return {{Health::kFault, "program", path + " starts other programs",
             "leave it and its options out: name the program that the ranks run"}};
  }
  const Result<ElfFile> elf = readElf(path);
  if (!elf.isOk()) return unreadable(path, elf.status());
  if (elf.value().isStatic()) {
    return {{Health::kFault, "program", path + " is statically linked: nothing can be preloaded into it",
             "link it dynamically, or call tuned_allreduce"}};
  }
  if (elf.value().interpreter.empty()) {
    return {{Health::kFault, "program", path + " is a library", "name the program that the ranks run"}};
  }
  if (!isOwnLoader(elf.value().interpreter)) {
    return {
        {Health::kWarning, "program",
         path + " wants to be loaded by " + printable(elf.value().interpreter) +
             ", which is not what loads `starling`, and may be any program: it was not asked what it would load",
         "where you know that it is a dynamic linker, see by `STARLING_VERBOSITY=info` in a run whether calls come to "
         "Starling"}};
  }
  return checkCallStack(readCallStack(path, elf.value(), preloadOf(environment, library)));
}

}  // namespace starling::cli
