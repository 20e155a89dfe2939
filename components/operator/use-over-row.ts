'use client'
import { useState } from 'react'

/** What was typed over a row, and the row as it was when that was begun. */
interface Draft<Row, Form> {
  row: Row
  form: Form
}

/**
 * The version that a draft is saved over. Where what the form shows of its row is as it was when it was begun, it is the
 * newest, whatever else changed; else the one that it was begun over, which the server refuses as a conflict.
 */
export function versionOf<Row extends { version: number }, Form>(
  draft: Draft<Row, Form> | null,
  row: Row,
  formOf: (row: Row) => Form,
): number {
  if (draft === null) return row.version
  return JSON.stringify(formOf(draft.row)) === JSON.stringify(formOf(row)) ? row.version : draft.row.version
}

/**
 * A form over a row that is read again while the form is open. Untouched it shows the newest row. Touched it keeps what was
 * typed, whatever is read; saved, it is a conflict only if one of its own fields was changed elsewhere meanwhile.
 * `opened` is the row that the form was begun over. Call `reset` once a save is done and the row was read again.
 */
export function useOverRow<Row extends { version: number }, Form>(row: Row, formOf: (row: Row) => Form) {
  const [draft, setDraft] = useState<Draft<Row, Form> | null>(null)
  return {
    form: draft?.form ?? formOf(row),
    opened: draft?.row ?? row,
    version: versionOf(draft, row, formOf),
    change: (changes: Partial<Form>) =>
      setDraft((before) => ({ row: before?.row ?? row, form: { ...(before?.form ?? formOf(row)), ...changes } })),
    reset: () => setDraft(null),
  }
}
