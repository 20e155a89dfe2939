'use client'
import { BookmarkPlus, MoreHorizontal } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { lazy, type MouseEvent, Suspense, useState } from 'react'
import { z } from 'zod'
import { type SavedView, savedView, viewList } from '#lib/contracts/history'
import { cn } from '../cn.ts'
import { sendJson } from '../fetch-json.ts'
import { notLoaded } from '../not-loaded.tsx'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuItem } from '../ui/dropdown-menu.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { useApi } from '../use-api.ts'
import { useErrorText } from '../use-error-text.ts'
import { type Filters, filterParamChanges, filterQuery, normalizeQuery, readFilters } from './filter-params.ts'

const ViewDialog = lazy(async () => ({
  default: await import('./view-dialog.tsx').then((module) => module.ViewDialog).catch(notLoaded),
}))

const PATH = '/api/history/views'
/** Built-in views that everybody has. */
const BUILT_IN_VIEWS = { all: '', errors: 'status=error', slow: 'took=10000', expensive: 'cost=0.1' } as const

/** The saved views and the actions on them. Deleting one shows a message with an undo button, and failures are reported. */
function useViews() {
  const t = useTranslations('requests.views')
  const errorText = useErrorText()
  const { data, mutate } = useApi(PATH, viewList, { revalidateOnFocus: false })
  const reportFailure = (error: unknown) => toast.error(t('failed'), { description: errorText(error) })
  const save = async (view: { id?: string; name: string; query: string }) => {
    const saved = await sendJson('POST', PATH, savedView, view)
    await mutate()
    return saved
  }
  const remove = async (view: SavedView) => {
    try {
      await sendJson('DELETE', `${PATH}/${encodeURIComponent(view.id)}`, z.object({}))
      await mutate()
      const undo = () => void save({ name: view.name, query: view.query }).catch(reportFailure)
      toast(t('deleted', { name: view.name }), { action: { label: t('undo'), onClick: undo } })
    } catch (error) {
      reportFailure(error)
    }
  }
  return { views: data?.rows ?? [], save, remove, failed: reportFailure }
}

function ViewLink({ query, current, children }: { query: string; current: boolean; children: string }) {
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    updateSearchParams(filterParamChanges(readFilters(new URLSearchParams(query))), 'push')
  }
  return (
    <a
      href={query === '' ? '?' : `?${query}`}
      onClick={follow}
      aria-current={current ? 'page' : undefined}
      className={cn(
        'inline-flex h-8 max-w-48 items-center whitespace-nowrap border-transparent border-b-2 px-0.5 text-second text-sm transition-colors hover:text-ink',
        current && 'border-accent font-medium text-ink',
      )}
    >
      <span className="truncate">{children}</span>
    </a>
  )
}

/** The view that is being named: a new one, or an existing one that is renamed. */
type ViewDraft = { id?: string; name: string; query: string }

function ViewMenu({
  view,
  query,
  onRename,
  onUpdate,
  onDelete,
}: {
  view: SavedView
  query: string
  onRename: () => void
  onUpdate: () => void
  onDelete: () => void
}) {
  const t = useTranslations('requests.views')
  return (
    <Menu
      align="start"
      trigger={
        <Button tone="ghost" size="tiny" aria-label={t('menu', { name: view.name })}>
          <MoreHorizontal aria-hidden className="size-3.5" />
        </Button>
      }
    >
      <MenuItem onSelect={onRename}>{t('rename')}</MenuItem>
      <MenuItem disabled={query === normalizeQuery(view.query)} onSelect={onUpdate}>
        {t('update')}
      </MenuItem>
      <MenuItem className="text-bad" onSelect={onDelete}>
        {t('delete')}
      </MenuItem>
    </Menu>
  )
}

/** Named sets of filters: the built-in ones and the reader's own. */
export function ViewsBar({ filters }: { filters: Filters }) {
  const t = useTranslations('requests.views')
  const query = filterQuery(filters)
  const { views, save, remove, failed } = useViews()
  const [draft, setNaming] = useState<ViewDraft | null>(null)
  const builtInViews = Object.entries(BUILT_IN_VIEWS).map(([name, own]) => ({
    name: t(`usual.${name as keyof typeof BUILT_IN_VIEWS}`),
    own,
  }))
  const knownQueries = [...Object.values(BUILT_IN_VIEWS), ...views.map((view) => normalizeQuery(view.query))]
  return (
    <div className="flex items-center gap-3 border-line-soft border-b">
      <nav aria-label={t('label')} className="-mb-px min-w-0 flex-1 overflow-x-auto overflow-y-hidden">
        <ul className="flex items-center gap-4">
          {builtInViews.map(({ name, own }) => (
            <li key={own}>
              <ViewLink query={own} current={query === own}>
                {name}
              </ViewLink>
            </li>
          ))}
          {views.map((view) => (
            <li key={view.id} className="flex items-center" data-view={view.id}>
              <ViewLink query={normalizeQuery(view.query)} current={query === normalizeQuery(view.query)}>
                {view.name}
              </ViewLink>
              <ViewMenu
                view={view}
                query={query}
                onRename={() => setNaming(view)}
                onUpdate={() => void save({ ...view, query }).catch(failed)}
                onDelete={() => void remove(view)}
              />
            </li>
          ))}
        </ul>
      </nav>
      {!knownQueries.includes(query) && (
        <Button size="small" onClick={() => setNaming({ name: '', query })} className="mb-1">
          <BookmarkPlus aria-hidden className="size-3.5" />
          {t('save')}
        </Button>
      )}
      {draft !== null && (
        <Suspense>
          <ViewDialog
            draft={draft}
            builtInNames={builtInViews.map(({ name }) => name)}
            onSave={save}
            onClose={() => setNaming(null)}
          />
        </Suspense>
      )}
    </div>
  )
}
