import { Link } from '@tanstack/react-router';
import { CircleHelp, Menu, Search } from 'lucide-react';
import { IconButton } from '../ui/button/IconButton.tsx';
import { MeMenu } from './MeMenu.tsx';
import { openOverlay } from './overlay.ts';
import { preloadPalette } from './Overlays.tsx';
import { ProductMark } from './ProductMark.tsx';
import { SiteSwitcher } from './SiteSwitcher.tsx';
import './top-bar.css';

const MOD = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl';

/** Product, site, search, help, me. */
export function TopBar({ onMenu }: { onMenu: () => void }) {
  return (
    <header className="top">
      <div className="top-start">
        <span className="top-burger">
          <IconButton label="Navigation" icon={Menu} onClick={onMenu} aria-haspopup="dialog" />
        </span>
        <Link to="/" className="top-home">
          <ProductMark />
        </Link>
        <SiteSwitcher />
      </div>
      <button
        type="button"
        className="top-search"
        aria-keyshortcuts="Control+K Meta+K"
        aria-haspopup="dialog"
        onPointerEnter={preloadPalette}
        onFocus={preloadPalette}
        onClick={() => openOverlay('palette')}
      >
        <Search />
        <span className="top-search-text">Search people, pages, actions</span>
        <kbd className="kbd" aria-hidden>
          {MOD} K
        </kbd>
      </button>
      <div className="top-end">
        <IconButton label="Keyboard shortcuts" icon={CircleHelp} onClick={() => openOverlay('keys')} />
        <MeMenu />
      </div>
    </header>
  );
}
