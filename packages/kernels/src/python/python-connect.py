# Connects to the socket whose path is the last argument, and puts the connection on descriptor 3, as the driver expects.
# `socket` would take a tenth of a second in a cold image.
import _socket
import os
import sys

connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
connection.connect(sys.argv.pop())
channel = connection.detach()
if channel != 3:
    os.dup2(channel, 3)
    os.close(channel)
del connection, channel
