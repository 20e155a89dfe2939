import type { MouseEvent } from 'react'

/**
 * Whether a click is the second of a double one. What starts a call and what stops it stand in the same place: who clicks
 * twice wants one of them, and who goes on clicking means it.
 */
export const isSecondClick = (event: MouseEvent): boolean => event.detail === 2
