'use client'
import { Moon, Sun } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useTheme } from 'next-themes'
import { type Locale, locales } from '#lib/contracts/locales'
import { writeLocale } from '../write-locale.ts'

const SHORT_NAMES: Record<Locale, string> = { en: 'EN', zh: '中文' }
const buttonStyles =
  'inline-flex h-8 shrink-0 items-center justify-center rounded-md px-2 font-medium text-second transition-colors hover:bg-hover hover:text-ink'

/** Theme and language, one click each, because the site loads no menus. `other` is the language that is not in use. */
export function AppearanceButtons({ other, themeLabel }: { other: Locale; themeLabel: string }) {
  const { resolvedTheme, setTheme } = useTheme()
  const router = useRouter()
  return (
    <>
      <button
        type="button"
        aria-label={themeLabel}
        onClick={() => setTheme(resolvedTheme === 'dark' ? 'light' : 'dark')}
        className={buttonStyles}
      >
        {/* The server does not know the theme, so CSS shows one of the two icons. */}
        <Sun aria-hidden className="hidden size-4 dark:block" />
        <Moon aria-hidden className="size-4 dark:hidden" />
      </button>
      <button
        type="button"
        lang={other}
        aria-label={`${SHORT_NAMES[other]}, ${locales[other]}`}
        onClick={() => {
          writeLocale(other)
          router.refresh()
        }}
        className={buttonStyles}
      >
        {SHORT_NAMES[other]}
      </button>
    </>
  )
}
