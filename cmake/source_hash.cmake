# Writes a header with a number that differs wherever a file does of those that a text names, one on each line:
# cmake -DLIST=TEXT -DHEADER=FILE -P source_hash.cmake
cmake_minimum_required(VERSION 3.25)
file(STRINGS ${LIST} sources)
list(SORT sources)
foreach(source IN LISTS sources)
  file(SHA256 ${source} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 16 hash)
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define STARLING_SOURCE_HASH 0x@hash@ULL\n" @ONLY)
