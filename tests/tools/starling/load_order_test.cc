#include "load_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ParseLoadOrder, takesLibrariesInTheirOrder) {
  const LoadOrder order = parseLoadOrder(
      "\tlinux-vdso.so.1 (0x00007f77b5b55000)\n"
      "\t/opt/with space/libtool.so (0x00007f77b5b42000)\n"
      "\tlibmpi.so.40 => /lib/libmpi.so.40 (0x00007f77b53b3000)\n");
  EXPECT_THAT(order.libraries, ElementsAre("/opt/with space/libtool.so", "/lib/libmpi.so.40"));
  EXPECT_THAT(order.missing, IsEmpty());
}

TEST(ParseLoadOrder, namesWhatIsNotFound) {
  const LoadOrder order = parseLoadOrder(
      "ERROR: ld.so: object 'libnix.so' from LD_PRELOAD cannot be preloaded (cannot open shared object file): "
      "ignored.\n"
      "\tlibapp.so.1 => not found\n"
      "\tlibc.so.6 => /lib/libc.so.6 (0x00007f77b561e000)\n");
  EXPECT_THAT(order.missing, ElementsAre("libnix.so", "libapp.so.1"));
  EXPECT_THAT(order.libraries, ElementsAre("/lib/libc.so.6"));
}

TEST(LoadOrder, isEmptyWhereTheLinkerCannotBeAsked) {
  const LoadOrder order = loadOrder("/nowhere/ld.so", "/bin/true", "");
  EXPECT_THAT(order.libraries, IsEmpty());
  EXPECT_THAT(order.missing, IsEmpty());
}

}  // namespace
}  // namespace starling::cli
