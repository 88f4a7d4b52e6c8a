/* The verdict of a run: one place for all rules, so that each is tested as a row of a table. */
#ifndef TICKVM_REPORT_VERDICT_H
#define TICKVM_REPORT_VERDICT_H

struct record;

struct verdict {
	const char *status; /* pass, fail, inconclusive, skipped, usage or timeout */
	int exit_code;	    /* enum tk_exit, the exit code of tickvm */
	char reason[400];   /* one line */
};

void verdict_judge(const struct record *record, struct verdict *verdict);

#endif
