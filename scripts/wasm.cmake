# CMake toolchain: compile as emcc does, link with the wasm-ld of the same LLVM.
#
# emcc takes longer to start than its clang to compile a file. So it is asked once for the command
# of clang, and the build runs that. Where emcc does not tell it, the build runs emcc.
#
# The modules are freestanding. They need neither Emscripten's runtime nor its JavaScript, so its
# link step has nothing to do here. Debian 12's could not do it either: its Binaryen 108 does not
# know the opcodes of relaxed SIMD.
#
# Debian 12's emcc (3.1.6) runs clang 14, which predates that standard. Two environment variables
# make it run any clang-N that is installed beside it. Other versions of Emscripten bring a clang
# that is new enough.

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)

find_program(EMCC emcc HINTS "${CMAKE_CURRENT_LIST_DIR}/../.toolchain")
if(NOT EMCC)
  message(FATAL_ERROR "emcc is neither on the PATH nor in .toolchain: "
                      "run scripts/setup.sh, or put an emsdk on the PATH.")
endif()

# Which clang and wasm-ld an emcc runs (ATTN_WASM_LD), and whether relaxed SIMD comes out of them as
# engines read it (ATTN_RELAXED): f32x4.relaxed_madd is fd 85 02, older drafts had other numbers.
function(probe environment)
  set(ATTN_WASM_LD "" PARENT_SCOPE)
  set(ATTN_RELAXED FALSE PARENT_SCOPE)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env ${environment} ${EMCC} -v
                  OUTPUT_VARIABLE about ERROR_VARIABLE about RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR NOT about MATCHES "clang version ([0-9]+)")
    return()
  endif()
  set(major ${CMAKE_MATCH_1})
  string(REGEX MATCH "InstalledDir: ([^\n]+)" _ "${about}")
  set(folder "${CMAKE_MATCH_1}")
  unset(wasm_ld)
  find_program(wasm_ld NAMES wasm-ld-${major} wasm-ld PATHS "${folder}" NO_DEFAULT_PATH NO_CACHE)
  if(NOT wasm_ld)
    return()
  endif()
  set(ATTN_WASM_LD "${wasm_ld}" PARENT_SCOPE)
  set(ATTN_LLVM "${major}" PARENT_SCOPE)
  set(scratch "${CMAKE_BINARY_DIR}/CMakeFiles/probe/probe")
  file(WRITE "${scratch}.c" "typedef float f32x4 __attribute__((vector_size(16)));\n"
                            "f32x4 f(f32x4 a, f32x4 b, f32x4 c)\n"
                            "{ return __builtin_wasm_relaxed_madd_f32x4(a, b, c); }\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -E env ${environment} ${EMCC}
                          -O1 -msimd128 -mrelaxed-simd -c "${scratch}.c" -o "${scratch}.o"
                  OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    file(READ "${scratch}.o" bytes HEX)
    if(bytes MATCHES "fd8502")
      set(ATTN_RELAXED TRUE PARENT_SCOPE)
    endif()
  endif()
endfunction()

if(NOT DEFINED CACHE{ATTN_WASM_LD}) # CMake reads a toolchain file more than once
  probe("")
  set(environment "")
  set(linker "${ATTN_WASM_LD}")
  if(NOT ATTN_RELAXED)
    foreach(version 23 22 21 20 19 18 17)
      find_program(clang clang-${version} NO_CACHE)
      if(clang)
        set(newer EM_CLANG_ADD_VERSION=${version} EM_LLVM_ADD_VERSION=${version})
        probe("${newer}")
        if(ATTN_RELAXED)
          set(environment ${newer})
          set(linker "${ATTN_WASM_LD}")
          break()
        endif()
      endif()
      unset(clang)
    endforeach()
  endif()
  if(NOT linker)
    message(FATAL_ERROR "${EMCC} works with no clang that has its wasm-ld (package lld-N) "
                        "beside it: on Debian 12 install clang-19 and lld-19.")
  endif()
  set(clang "")
  set(flags "")
  file(WRITE "${CMAKE_BINARY_DIR}/CMakeFiles/probe/empty.c" "")
  # with -Os and -Oz, one of which every module has, emcc also gives it -fno-inline-functions
  set(asked -Os -fvisibility=hidden -v -c empty.c -o empty.o)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env ${environment} ${EMCC} ${asked}
                  WORKING_DIRECTORY "${CMAKE_BINARY_DIR}/CMakeFiles/probe"
                  OUTPUT_VARIABLE about ERROR_VARIABLE about)
  list(JOIN asked " " asked)
  if(about MATCHES " \"?(/[^ \"\n]*clang[^ \"\n]*)\"? (-target [^\n]*) ${asked}")
    set(clang "${CMAKE_MATCH_1}")
    set(flags "${CMAKE_MATCH_2}")
  endif()
  set(ATTN_CLANG "${clang}" CACHE FILEPATH "the clang of emcc, or nothing")
  set(ATTN_CLANG_FLAGS "${flags}" CACHE STRING "the flags that emcc gives its clang")
  set(ATTN_WASM_LD "${linker}" CACHE FILEPATH "the wasm-ld of emcc's LLVM")
  set(ATTN_RELAXED "${ATTN_RELAXED}" CACHE BOOL
      "relaxed SIMD compiles to the opcodes of the standard")
  set(ATTN_EMCC_ENVIRONMENT "${environment}" CACHE STRING "which clang emcc runs")
  message(STATUS "wasm: ${EMCC}, LLVM ${ATTN_LLVM}, ${linker}")
endif()

set(CMAKE_C_COMPILER "${EMCC}")
if(ATTN_CLANG)
  set(CMAKE_C_COMPILER "${ATTN_CLANG}")
  set(CMAKE_C_FLAGS_INIT "${ATTN_CLANG_FLAGS}")
elseif(ATTN_EMCC_ENVIRONMENT)
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env ${ATTN_EMCC_ENVIRONMENT})
endif()
# CMake's own examination of the compiler would link with emcc.
set(CMAKE_C_COMPILER_ID Clang)
set(CMAKE_C_COMPILER_ID_RUN TRUE)
set(CMAKE_C_COMPILER_FORCED TRUE)
set(CMAKE_C_DEPFILE_FORMAT gcc)
set(CMAKE_DEPFILE_FLAGS_C "-MD -MT <DEP_TARGET> -MF <DEP_FILE>")
set(CMAKE_C_LINK_EXECUTABLE "${ATTN_WASM_LD} <LINK_FLAGS> <OBJECTS> -o <TARGET>")
