# expect: part=more problem=conv-standard-1d cases=tiny verdict=time_limit message="case 'tiny'" options="--time-limit 1"
# Never ends: a first call of the rehearsal has the limit that is given, and some time to compile.


def solution(input, kernel):
    while True:
        pass
