# expect: part=more problem=relu cases=tiny,odd verdict=accepted
custom_kernel = lambda data: data[0].clamp(min=0)  # noqa: E731
