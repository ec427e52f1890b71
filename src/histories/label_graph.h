/* SPDX-License-Identifier: MIT
 *
 * label_graph.h - the witness of Definition 3.1: which label must be smaller than which (history.h).
 */
#ifndef ADMIT_HISTORIES_LABEL_GRAPH_H
#define ADMIT_HISTORIES_LABEL_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct label_graph;

struct label_graph *label_graph_open(unsigned n);
void label_graph_close(struct label_graph *graph);
void label_graph_restart(struct label_graph *graph);

/* A Scan ordered labels so; a Label by process i saw them so, and wrote the next label of i, or nothing. */
void label_graph_scan(struct label_graph *graph, const unsigned rank[], const uint32_t serial[]);
void label_graph_label(struct label_graph *graph, unsigned i, bool wrote, const unsigned rank[],
                       const uint32_t serial[]);

/* If not, a cycle is described. */
bool label_graph_is_acyclic(const struct label_graph *graph, char *cycle, size_t size);

#endif
