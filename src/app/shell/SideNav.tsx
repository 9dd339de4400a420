import { Link } from '@tanstack/react-router';
import { Lock, PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { useSession } from '../../api/session.ts';
import { formatNumber } from '../../lib/numbers.ts';
import { cx } from '../../ui/cx.ts';
import { useStore } from '../../ui/store.ts';
import { Tooltip } from '../../ui/tooltip/Tooltip.tsx';
import { closedReason, isListed } from '../area/collect-areas.ts';
import type { NavigationEntry } from '../area/define-area.ts';
import { registry } from '../registry.ts';
import { isNavigationFolded, setNavigationFolded, useNavigationCounts } from '../state/navigation.ts';
import './side-nav.css';

/** Navigation by groups of areas. Folded, it shows only icons with their names as tooltips. */
export function SideNav({ drawer = false }: { drawer?: boolean }) {
  const folded = useStore(isNavigationFolded) && !drawer;
  const session = useSession();
  const groups = registry.navigation
    .map(({ name, entries }) => ({ name, entries: entries.filter((entry) => isListed(session, entry)) }))
    .filter(({ entries }) => entries.length > 0);
  return (
    <div className="side" data-folded={folded || undefined}>
      <nav className="side-areas" aria-label="Areas">
        {groups.map(({ name, entries }) => (
          <div key={name} className="side-group">
            {name !== '' && <h2 className="side-heading">{name}</h2>}
            <ul className="side-list">
              {entries.map((entry) => (
                <li key={entry.path}>
                  <EntryLink entry={entry} folded={folded} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      {!drawer && (
        <button type="button" className="side-link side-fold" onClick={() => setNavigationFolded(!folded)}>
          {folded ? <PanelLeftOpen /> : <PanelLeftClose />}
          <span className="side-name">{folded ? 'Expand' : 'Collapse'}</span>
        </button>
      )}
    </div>
  );
}

function EntryLink({ entry, folded }: { entry: NavigationEntry; folded: boolean }) {
  const { path, name, icon: Icon } = entry;
  const count = useNavigationCounts()[path];
  const closed = closedReason(useSession(), entry);
  const link = (
    <Link
      to={path}
      // A page without permission is not preloaded on hover, because its calls would fail.
      {...(closed !== undefined && { preload: false })}
      className={cx('side-link', closed !== undefined && 'side-closed')}
      activeOptions={{ exact: path === '/', includeSearch: false }}
    >
      <Icon />
      <span className="side-name">{name}</span>
      {closed === undefined ? (
        count !== undefined && <span className="side-count num">{formatNumber(count)}</span>
      ) : (
        <>
          <Lock className="side-lock" />
          <span className="visually-hidden">. {closed}</span>
        </>
      )}
    </Link>
  );
  const tip = closed === undefined ? name : `${name}. ${closed}`;
  return folded || closed !== undefined ? <Tooltip text={tip}>{link}</Tooltip> : link;
}
