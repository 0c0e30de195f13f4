// A library for workers to load.
extern "C" int kgrade_entry(const unsigned long long* arguments) {
  return static_cast<int>(arguments[0] % 2);
}
