import type { MouseEvent } from 'react'

/**
 * Whether a click is the second of a double click. The start button and the stop button are in the same place. A double click
 * means only one of them, and further clicks are intended.
 */
export const isSecondClick = (event: MouseEvent): boolean => event.detail === 2
