/* SPDX-License-Identifier: GPL-2.0 */
/* The unit tests' frame: a fixed plan first, then a line a test. */
#ifndef GDRCTL_TEST_KTAP_H
#define GDRCTL_TEST_KTAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/** struct test - one test; it fails if any EXPECT in it does */
struct test {
	const char *name;
	void (*run)(void);
};

/** ktap_expect - notes a failed expectation and where it stands */
void ktap_expect(bool ok, const char *what, const char *file, int line);

/** ktap_expect_str - compares two strings and shows both if they differ */
void ktap_expect_str(const char *got, const char *want, const char *file, int line);

/** ktap_golden - compares @got with golden/@name; GOLDEN_WRITE=1 in the environment writes it */
void ktap_golden(const char *name, const char *got);

/** ktap_make_file - writes @text into the file @name below @root, with the directories it needs */
void ktap_make_file(const char *root, const char *name, const char *text);

/** ktap_run - runs the tests. Return: the exit status: 0 or 1 */
int ktap_run(const struct test *test, size_t n);

#define EXPECT(cond) ktap_expect((cond), #cond, __FILE__, __LINE__)
#define EXPECT_STR(got, want) ktap_expect_str((got), (want), __FILE__, __LINE__)
#define TEST(fn) { #fn, fn }
#define KTAP_MAIN(tests)                                                                         \
	int main(void)                                                                           \
	{                                                                                        \
		return ktap_run(tests, sizeof(tests) / sizeof((tests)[0]));                      \
	}

#endif
