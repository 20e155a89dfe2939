import { ChevronDown } from 'lucide-react'
import { cn } from '../cn.ts'

interface NativeSelectProps {
  /** Shown before the value, and its label. */
  label: string
  value: string
  onChange: (value: string) => void
  options: { value: string; label: string }[]
  className?: string
}

/** A single choice with the browser's own list: it needs no script, and on phones it is the familiar list. */
export function NativeSelect({ label, value, onChange, options, className }: NativeSelectProps) {
  return (
    <label
      className={cn(
        'relative inline-flex h-9 min-w-0 max-w-full items-center gap-1.5 rounded-md border border-third bg-panel pl-2.5 text-sm transition-colors focus-within:outline-2 focus-within:outline-accent focus-within:outline-offset-2 hover:bg-hover',
        className,
      )}
    >
      <span className="whitespace-nowrap text-second">{label}</span>
      <select
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="h-full min-w-0 grow cursor-pointer appearance-none truncate bg-transparent pr-6.5 font-medium outline-none [&>option]:bg-panel [&>option]:text-ink"
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown aria-hidden className="pointer-events-none absolute right-2 size-3.5 text-second" />
    </label>
  )
}
