import { Search } from 'lucide-react'
import { cn } from '../cn.ts'
import { Input } from './input.tsx'

interface SearchInputProps {
  id?: string
  /** What is searched for; stands in the field while it is empty, too. */
  label: string
  value: string
  onChange: (text: string) => void
  maxLength?: number
  /** Of the field with its sign. */
  className?: string
}

/** What a list is searched with. */
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
