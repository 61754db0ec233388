# Copies the kernel source FROM to TO without its calls of counter methods. Fails when a kernel has none to remove, or
# when one is left.
file(READ ${FROM} text)
set(call "counters_?\\.[a-z_]+\\([^;]*\\);")
if(FROM MATCHES "\\.cu$" AND NOT text MATCHES "${call}")
  message(FATAL_ERROR "${FROM}: no counter call found")
endif()
string(REGEX REPLACE "${call}" "" text "${text}")
if(text MATCHES "counters_?\\.[a-z_]+\\(")
  message(FATAL_ERROR "${FROM}: a counter call is left")
endif()
file(WRITE ${TO} "${text}")
