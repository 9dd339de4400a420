import { Link } from '@tanstack/react-router';
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { count } from '../lib/numbers.ts';
import { useStore } from '../ui/store.ts';
import { Tooltip } from '../ui/tooltip/Tooltip.tsx';
import { AREA_GROUPS } from './areas.ts';
import type { Area } from './areas.ts';
import { navFolded, setNavFolded } from './nav-folded.ts';
import { useNavCounts } from './nav-counts.ts';
import './side-nav.css';

/** The areas in their groups. Folded, it shows icons alone, with their names beside them on hover and focus. */
export function SideNav({ drawer = false }: { drawer?: boolean }) {
  const folded = useStore(navFolded) && !drawer;
  return (
    <div className="side" data-folded={folded || undefined}>
      <nav className="side-areas" aria-label="Areas">
        {AREA_GROUPS.map(({ name, areas }) => (
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
  const link = (
    <Link to={path} className="side-link" activeOptions={{ exact: path === '/', includeSearch: false }}>
      <Icon />
      <span className="side-name">{name}</span>
      {known !== undefined && <span className="side-count num">{count(known)}</span>}
    </Link>
  );
  return folded ? <Tooltip text={name}>{link}</Tooltip> : link;
}
