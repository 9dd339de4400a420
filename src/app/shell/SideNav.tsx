import { Link } from '@tanstack/react-router';
import { Lock, PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { useSession } from '../../api/session.ts';
import { count } from '../../lib/numbers.ts';
import { cx } from '../../ui/cx.ts';
import { useStore } from '../../ui/store.ts';
import { Tooltip } from '../../ui/tooltip/Tooltip.tsx';
import { isOffered, reasonClosed } from './area-needs.ts';
import { AREA_GROUPS } from './areas.ts';
import type { Area } from './areas.ts';
import { navFolded, setNavFolded } from './nav-folded.ts';
import { useNavCounts } from './nav-counts.ts';
import './side-nav.css';

/** The areas in their groups. Folded, it shows icons alone, with their names beside them on hover and focus. */
export function SideNav({ drawer = false }: { drawer?: boolean }) {
  const folded = useStore(navFolded) && !drawer;
  const session = useSession();
  const groups = AREA_GROUPS.filter(({ areas }) => areas.some(({ path }) => isOffered(session, path)));
  return (
    <div className="side" data-folded={folded || undefined}>
      <nav className="side-areas" aria-label="Areas">
        {groups.map(({ name, areas }) => (
          <div key={name ?? ''} className="side-group">
            {name !== undefined && <h2 className="side-heading">{name}</h2>}
            <ul className="side-list">
              {areas.map((area) => (
                <li key={area.path}>
                  <AreaLink area={area} folded={folded} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      {!drawer && (
        <button type="button" className="side-link side-fold" onClick={() => setNavFolded(!folded)}>
          {folded ? <PanelLeftOpen /> : <PanelLeftClose />}
          <span className="side-name">{folded ? 'Show names' : 'Fold to icons'}</span>
        </button>
      )}
    </div>
  );
}

function AreaLink({ area: { path, name, icon: Icon }, folded }: { area: Area; folded: boolean }) {
  const known = useNavCounts()[path];
  const closed = reasonClosed(useSession(), path);
  const link = (
    <Link
      to={path}
      // Nothing is asked for that would be refused: passing over a way that is closed is no call.
      {...(closed !== undefined && { preload: false })}
      className={cx('side-link', closed !== undefined && 'side-closed')}
      activeOptions={{ exact: path === '/', includeSearch: false }}
    >
      <Icon />
      <span className="side-name">{name}</span>
      {closed === undefined ? (
        known !== undefined && <span className="side-count num">{count(known)}</span>
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
