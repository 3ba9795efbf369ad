/* SPDX-License-Identifier: BSD-3-Clause */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void
record_signal(int number)
{
    caught = number;
}

void
interrupt_catch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    struct sigaction act = {.sa_handler = record_signal}, old;

    (void)sigemptyset(&act.sa_mask);
    act.sa_flags = (int)(SA_RESTART | SA_RESETHAND);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            (void)sigaction(numbers[i], &act, NULL);
}

bool
interrupt_seen(void)
{
    return caught != 0;
}

void
interrupt_end(void)
{
    int number = (int)caught;

    if (number == 0)
        return;
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}
