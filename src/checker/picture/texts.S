/* SPDX-License-Identifier: MIT
 *
 * What texts.sh has written, as it is: a C array of it would take the compiler long.
 */
    .section .rodata
    .globl embedded_texts, embedded_texts_end
embedded_texts:
    .incbin TEXTS
embedded_texts_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits
