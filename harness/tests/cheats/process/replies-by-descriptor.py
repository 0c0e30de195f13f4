# cheat: answers the referee by descriptor 3 from within the call
# row: 30
# caught-by: protocol
# device: any
# problem: conv-standard-1d
# case: plain
#
# The number of a request is random, and what is there before the request comes is refused.
import os
import struct

MAGIC, DONE, IDLE = 0x6B677264, 1, 3


def reply(status, number):
    return struct.pack("<IIQiIdQ168xQI4x", MAGIC, status, number, 0, 1, 1e-3, 0, 0, 0)


def solution(input, kernel):
    for number in range(1, 4):
        os.write(3, reply(DONE, number))
        os.write(3, reply(IDLE, number))
    return input.new_zeros(input.shape[0], kernel.shape[0], input.shape[2] - kernel.shape[2] + 1)
