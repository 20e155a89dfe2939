'use client'
import { Kbd } from '../ui/kbd.tsx'

const isApple = () => typeof navigator === 'object' && /Mac|iPod|iPhone|iPad/.test(navigator.platform)

const nameOf = (key: string): string => {
  if (key === '$mod') return isApple() ? '⌘' : 'Ctrl'
  if (key === 'Escape') return 'Esc'
  return key.length === 1 ? key.toUpperCase() : key
}

/** The keys of a shortcut, side by side. */
export const ShortcutKeys = ({ keys }: { keys: string }) => (
  <span className="inline-flex shrink-0 items-center gap-1">
    {keys
      .split(' ')
      .flatMap((press) => press.split('+').filter((key) => !key.startsWith('[')))
      .map((key) => (
        <Kbd key={key}>{nameOf(key)}</Kbd>
      ))}
  </span>
)
