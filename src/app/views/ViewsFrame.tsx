import { Bookmark, ChevronDown } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button/Button.tsx';
import { Badge } from '../../ui/layout/Badge.tsx';
import { lazyWithPreload } from '../../ui/lazy.tsx';
import { closeAndFocus } from '../../ui/menu/close-and-focus.ts';
import './views.css';

const PopoverCard = lazyWithPreload(() => import('../../ui/menu/PopoverCard.tsx'));

interface ViewsFrameProps {
  /** Name of the open view; undefined: none is open. */
  name: string | undefined;
  /** Actions on the unsaved changes of the open view; undefined without any. */
  changes:
    | { isSaving: boolean; saveRefusal: string | undefined; onSave: () => void; onRevert: () => void }
    | undefined;
  /** Content of the menu. */
  renderList: (onClose: () => void) => ReactNode;
  /** Dialog over the page, which may be loaded. */
  dialog: ReactNode;
  /** Further buttons. */
  children?: ReactNode;
}

/** The menu of saved views, named by the open one, with the buttons for its unsaved changes. */
export function ViewsFrame({ name, changes, renderList, dialog, children }: ViewsFrameProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <div className="views">
      <Button
        ref={button}
        icon={Bookmark}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <bdi className="views-name">{name ?? 'Views'}</bdi>
        <ChevronDown />
      </Button>
      {changes && (
        <>
          <Badge tone="warn">Changed</Badge>
          <Button
            size="small"
            pending={changes.isSaving}
            disabledReason={changes.saveRefusal}
            onClick={changes.onSave}
          >
            Save
          </Button>
          <Button size="small" variant="quiet" onClick={changes.onRevert}>
            Revert
          </Button>
        </>
      )}
      {children}
      <Suspense>
        {open && (
          <PopoverCard label="Views" anchor={button} align="start" onClose={close}>
            <OpenList renderList={renderList} onClose={() => closeAndFocus(close, button)} />
          </PopoverCard>
        )}
        {dialog}
      </Suspense>
    </div>
  );
}

/** Content of the open menu: a component, because a function that is called while the frame is drawn may not get its button. */
function OpenList({ renderList, onClose }: Pick<ViewsFrameProps, 'renderList'> & { onClose: () => void }) {
  return renderList(onClose);
}
