import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const FOLDERS = ['app', 'components']

/** The opening tags of a file's forms. */
const formsOf = (text: string): string[] => text.match(/<form\b(?:=>|[^>])*>/g) ?? []

/** Before its scripts run, the browser itself sends a page's form. By default it uses GET, with all fields in the address. */
it('each form says how it is sent', async () => {
  const forms: string[] = []
  for (const folder of FOLDERS)
    for (const file of await readdir(folder, { recursive: true }))
      if (file.endsWith('.tsx'))
        forms.push(...formsOf(await readFile(join(folder, file), 'utf8')).map((tag) => `${join(folder, file)}: ${tag}`))
  expect(forms.length).toBeGreaterThan(20)
  expect(forms.filter((tag) => !tag.includes('method='))).toEqual([])
})
