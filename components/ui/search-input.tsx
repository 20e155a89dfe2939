import { Search } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cn } from '../cn.ts'
import { Input } from './input.tsx'

interface SearchInputProps extends Pick<ComponentProps<'input'>, 'id' | 'maxLength' | 'onFocus' | 'onKeyDown'> {
  /** What is searched for; stands in the field while it is empty, too. */
  label: string
  value: string
  onChange: (text: string) => void
  /** Of the field with its sign. */
  className?: string
}

/** What a list is searched with. */
export const SearchInput = ({ label, value, onChange, className, ...rest }: SearchInputProps) => (
  <div className={cn('relative col-span-full w-full sm:w-72', className)}>
    <Search aria-hidden className="pointer-events-none absolute top-2.5 left-3 size-4 text-second" />
    <Input
      {...rest}
      type="search"
      aria-label={label}
      placeholder={label}
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="pl-9 placeholder:text-second"
    />
  </div>
)
