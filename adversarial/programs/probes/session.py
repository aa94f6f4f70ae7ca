# Asks in whose session the program is: 0 is one whose leader is outside the box.
import os

leader = os.getsid(0)
end("reached" if leader == 0 else "its own" if leader == os.getpid() else "another", leader, group=os.getpgrp())
