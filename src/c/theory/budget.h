/* The budget that a row of logits spends. */
#ifndef BUDGET_H
#define BUDGET_H

#include "distribution.h"

/* KL(softmax(z/T)‖u). It is as accurate near uniform, where it is 0, as elsewhere. */
double spent_of(const double *z, int32_t n, double temperature);

#endif
