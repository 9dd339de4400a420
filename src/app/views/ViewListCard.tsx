import { Check, Star } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { foldText } from '../../../contract/rules/fold-text.ts';
import './views.css';

/** What the list shows of a saved view of entries or of another table. */
export interface ListedView {
  id: number;
  name: string;
  isShared: boolean;
  /** Whether the table opens with the view. */
  isDefault?: boolean;
  /** Null when the owner has left the site. */
  ownerName?: string | null;
}

/** Properties of the link or button that opens a view. */
interface ViewLinkProps {
  children: ReactNode;
  'aria-current': 'true' | undefined;
}

interface ViewListCardProps<View extends ListedView> {
  views: readonly View[];
  /** Id of the open view. */
  currentId: number | undefined;
  isMine: (view: View) => boolean;
  renderLink: (view: View, props: ViewLinkProps) => ReactNode;
  /** Shown when there are no views yet. */
  emptyText: string;
  /** The actions below the list. */
  children: ReactNode;
}

const MIN_VIEWS_FOR_SEARCH = 8;

/** Content of the menu of saved views: own ones, those that others share, and the actions of the open one. */
export function ViewListCard<View extends ListedView>(props: ViewListCardProps<View>) {
  const { views, currentId, isMine, renderLink, emptyText, children } = props;
  const [q, setQ] = useState('');
  const found = views.filter(({ name }) => foldText(name).includes(foldText(q.trim())));
  const sections = [
    { title: 'My views', items: found.filter(isMine) },
    { title: 'Shared by others', items: found.filter((view) => !isMine(view)) },
  ].filter(({ items }) => items.length > 0);
  return (
    <div className="views-card">
      {views.length > MIN_VIEWS_FOR_SEARCH && (
        <input
          type="search"
          className="input"
          aria-label="Find a view"
          placeholder="Find a view"
          value={q}
          onChange={({ target }) => setQ(target.value)}
        />
      )}
      <div className="views-lists">
        {sections.map(({ title, items }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <ul>
              {items.map((view) => (
                <li key={view.id}>
                  {renderLink(view, {
                    'aria-current': view.id === currentId ? 'true' : undefined,
                    children: (
                      <>
                        <bdi>{view.name}</bdi>
                        <span className="views-owner">{formatOwner(view, isMine(view))}</span>
                        {view.isDefault && <Star aria-label="Default view" />}
                        {view.id === currentId && <Check />}
                      </>
                    ),
                  })}
                </li>
              ))}
            </ul>
          </section>
        ))}
        {sections.length === 0 && (
          <p className="views-none">{views.length === 0 ? emptyText : 'No view matches.'}</p>
        )}
      </div>
      {children}
    </div>
  );
}

const formatOwner = ({ isShared, ownerName }: ListedView, isMine: boolean): string => {
  if (isMine) return isShared ? 'Shared' : '';
  return ownerName ?? 'Former user';
};
