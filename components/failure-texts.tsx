'use client'
import { createContext, type ReactNode, useContext } from 'react'

/** The texts of a page that failed. */
export interface Failure {
  title: string
  text: string
  retry: string
}

const Texts = createContext<Failure | null>(null)

/** Keeps the texts for a page that fails: nothing can be requested by then, and the public site loads no translations. */
export const FailureTexts = ({ failure, children }: { failure: Failure; children: ReactNode }) => (
  <Texts value={failure}>{children}</Texts>
)

export const useFailureTexts = (): Failure | null => useContext(Texts)
