// Many sources include cuFFT's header and do not use it. The emulated device has nothing of it.
