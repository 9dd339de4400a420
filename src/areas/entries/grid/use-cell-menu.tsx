import { ExternalLink, Link2, Rows2 } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import type { MouseEvent } from 'react';
import type { Cell } from '../../../ui/cell-navigation.ts';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { useShortcut } from '../../../ui/shortcuts/shortcuts.ts';
import type { Shortcut } from '../../../ui/shortcuts/shortcuts.ts';
import { toast } from '../../../ui/toast.ts';
import { getStagedEntryName } from '../editing/grid-editing.ts';
import type { EntryColumn } from '../model/columns.ts';
import type { EntryRows } from '../model/row-windows.ts';
import type { CellAddress } from '../views/view.ts';
import { getEntryPath } from './row/EntryLink.tsx';
import { findCell } from './use-grid-interaction.ts';

const MenuPopup = lazyWithPreload(() => import('../../../ui/menu/MenuPopup.tsx'));

interface CellMenuOptions {
  rows: EntryRows;
  columns: readonly EntryColumn[];
  type: string;
  current: Cell;
  /** URL of a row or cell; undefined if the list has no such URLs. */
  linkTo: ((address: CellAddress) => string) | undefined;
}

const COPY_LINK_SHORTCUT: readonly Shortcut[] = [
  { keys: 'mod+.', label: 'Copy a link to the cell', group: 'In the grid' },
];
const NO_SHORTCUTS: readonly Shortcut[] = [];
const UNSAVED_REASON = 'A new entry has no link until it is saved';

async function copyLink(href: string, targetName: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(href);
    toast({ title: `Copied a link to ${targetName}`, tone: 'ok' });
  } catch {
    toast({ title: 'The browser does not allow copying', tone: 'bad' });
  }
}

/** Context menu of a cell: links to the cell, the row and the entry. */
export function useCellMenu({ rows, columns, type, current, linkTo }: CellMenuOptions) {
  const anchor = useRef<HTMLElement>(null);
  const [menuCell, setMenuCell] = useState<Cell>();
  const copy = (cell: Cell, isRow: boolean) => {
    const row = rows.at(cell.row);
    const field = isRow ? undefined : columns[cell.column]?.field;
    if (!row || !linkTo) return;
    if (row.EntryId < 0) {
      toast({ title: UNSAVED_REASON, tone: 'bad' });
      return;
    }
    const href = linkTo({ entryId: row.EntryId, field: field?.apiName ?? '' });
    void copyLink(
      href,
      field ? `${field.name} of ${getStagedEntryName(row, columns)}` : getStagedEntryName(row, columns),
    );
  };
  useShortcut(linkTo ? COPY_LINK_SHORTCUT : NO_SHORTCUTS, () =>
    copy({ ...current, row: Math.max(0, current.row) }, false),
  );
  const onContextMenu = (event: MouseEvent) => {
    const cell = findCell(event.target);
    // Links and editors keep the browser's menu.
    const hasOwnMenu = event.target instanceof Element && event.target.closest('a[href], .eg-editing');
    if (!linkTo || !cell || hasOwnMenu || !rows.at(cell.row)) return;
    event.preventDefault();
    anchor.current = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null;
    setMenuCell(cell);
  };
  const row = menuCell && rows.at(menuCell.row);
  const menu = menuCell && row && (
    <Suspense>
      <MenuPopup
        label={`Cell of ${getStagedEntryName(row, columns)}`}
        anchor={anchor}
        align="start"
        items={getMenuItems(row.EntryId < 0)}
        onClose={() => setMenuCell(undefined)}
      />
    </Suspense>
  );
  return { onContextMenu, menu };

  function getMenuItems(isNew: boolean): MenuItems {
    const links = [
      { label: 'Copy link to this cell', icon: Link2, onSelect: () => menuCell && copy(menuCell, false) },
      { label: 'Copy link to this row', icon: Rows2, onSelect: () => menuCell && copy(menuCell, true) },
    ];
    if (isNew) return links.map((item) => ({ ...item, disabledReason: UNSAVED_REASON }));
    return [
      ...links,
      'line',
      { label: 'Open entry', icon: ExternalLink, href: getEntryPath(type, row?.EntryId ?? 0) },
    ];
  }
}
