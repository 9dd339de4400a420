import { getRouteApi, Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { DocumentView } from '../DocumentView.tsx';
import { nameDocuments } from '../model/document.ts';
import type { Document, Documents } from '../model/document.ts';
import { HELP_TEXTS } from '../model/help-texts.ts';

// The list of scripts/documents.ts, which a literal has to repeat.
const GUIDES = nameDocuments(
  import.meta.glob<Document>(
    '../../../../docs/{agents,glossary,operating,publications,relationship-intelligence,reports}.md',
    { eager: true, import: 'default' },
  ),
);
const DEFAULT_TOPIC = 'home';
const route = getRouteApi('/_app/help/{-$topic}');

/** Documentation that ships with the console: the help texts of all pages, and the guides. */
export function HelpPage() {
  const { topic = DEFAULT_TOPIC } = route.useParams();
  const document = HELP_TEXTS.get(topic) ?? GUIDES.get(topic);
  return (
    <Page title="Documentation">
      <div className="help-page">
        <nav className="help-topics" aria-label="Documentation">
          <Topics title="Pages" documents={HELP_TEXTS} current={topic} />
          <Topics title="Guides" documents={GUIDES} current={topic} />
          <section>
            <h2>About this console</h2>
            <ul className="help-topic-list">
              <li>
                <Link to="/help/quality">Quality</Link>
              </li>
            </ul>
          </section>
        </nav>
        {document ? (
          <article aria-labelledby="help-title">
            <div className="doc">
              <h2 id="help-title">{document.title}</h2>
            </div>
            <DocumentView blocks={document.blocks} levelOffset={1} />
          </article>
        ) : (
          <EmptyState icon={SearchX} title={`There is no page “${topic}”`}>
            Choose a topic from the list.
          </EmptyState>
        )}
      </div>
    </Page>
  );
}

function Topics({ title, documents, current }: { title: string; documents: Documents; current: string }) {
  const sorted = [...documents].toSorted(([, one], [, other]) => one.title.localeCompare(other.title));
  return (
    <section>
      <h2>{title}</h2>
      <ul className="help-topic-list">
        {sorted.map(([topic, { title: name }]) => (
          <li key={topic}>
            <Link
              to="/help/{-$topic}"
              params={{ topic }}
              aria-current={topic === current ? 'page' : undefined}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
