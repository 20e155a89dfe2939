'use client'
import { useState } from 'react'

/** What was typed, and the row as it was when the typing began. */
interface Draft<Row, Form> {
  row: Row
  form: Form
}

/**
 * The version that a draft is saved over. If the fields that the form shows have not changed since the draft began, it is the
 * newest version, whatever else changed. Otherwise it is the version that the draft began with, and the server rejects it as a
 * conflict.
 */
export function baseVersionOf<Row extends { version: number }, Form>(
  draft: Draft<Row, Form> | null,
  row: Row,
  formOf: (row: Row) => Form,
): number {
  if (draft === null) return row.version
  return JSON.stringify(formOf(draft.row)) === JSON.stringify(formOf(row)) ? row.version : draft.row.version
}

/**
 * A form for a row that is reloaded while the form is open. Unedited, it shows the newest row. Edited, it keeps what was typed,
 * whatever is reloaded, and saving it is a conflict only if one of its own fields was changed elsewhere in the meantime.
 * `opened` is the row that the edit began with. Call `reset` when a save is done and the row has been reloaded.
 */
export function useRowForm<Row extends { version: number }, Form>(row: Row, formOf: (row: Row) => Form) {
  const [draft, setDraft] = useState<Draft<Row, Form> | null>(null)
  return {
    form: draft?.form ?? formOf(row),
    opened: draft?.row ?? row,
    version: baseVersionOf(draft, row, formOf),
    change: (changes: Partial<Form>) =>
      setDraft((before) => ({ row: before?.row ?? row, form: { ...(before?.form ?? formOf(row)), ...changes } })),
    reset: () => setDraft(null),
  }
}
