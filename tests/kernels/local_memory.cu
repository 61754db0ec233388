// A kernel that must use local memory: its array is indexed by values that are known only when it runs.

__global__ void uses_local_memory(const int* order, int* out) {
  int values[64];
  for (int i = 0; i < 64; ++i) values[order[i] & 63] = i;
  for (int i = 0; i < 64; ++i) out[i] = values[order[i + 64] & 63];
}
