import { Search } from 'lucide-react'
import { cn } from '../cn.ts'
import { Input } from './input.tsx'

interface SearchInputProps {
  id?: string
  /** Names what is searched for. Also the placeholder. */
  label: string
  value: string
  onChange: (text: string) => void
  maxLength?: number
  /** For the wrapper of the field and its icon. */
  className?: string
}

/** The search field of a list. */
export const SearchInput = ({ id, label, value, onChange, maxLength, className }: SearchInputProps) => (
  <div className={cn('relative col-span-full w-full sm:w-72', className)}>
    <Search aria-hidden className="pointer-events-none absolute top-2.5 left-3 size-4 text-second" />
    <Input
      id={id}
      type="search"
      aria-label={label}
      placeholder={label}
      autoComplete="off"
      maxLength={maxLength}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="pl-9 placeholder:text-second"
    />
  </div>
)
