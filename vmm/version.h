/* The version that `tickvm --version`, results and the man page state; the revision is git's. */
#ifndef TICKVM_VERSION_H
#define TICKVM_VERSION_H

#define TICKVM_VERSION "0.1.0"

#endif
