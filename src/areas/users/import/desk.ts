import { createBoard } from '../../import/board.ts';
import { emailKey } from '../../../files/email-key.ts';
import type { Counts } from '../../import/plan.ts';
import { checkWishes } from './check.ts';
import type { Mapping } from './fields.ts';
import type { Checking, Known, Work } from './plan.ts';
import { groupBook } from './values.ts';
import { readWish } from './wish.ts';
import type { Wish } from './wish.ts';

/** What the rows are checked against, as it passes to a worker. */
export interface Question extends Omit<Checking, 'people' | 'book' | 'barred'> {
  mapping: Mapping;
  groups: readonly { id: number; name: string }[];
}

type Barred = Checking['barred'];
const NONE: Barred = new Map();

/** Where a file of people lies while it is prepared: it is checked again whenever its columns change. */
export function createDesk() {
  const board = createBoard<Work>();
  let byId = new Map<number, Known>();
  let byEmail = new Map<string, Known>();

  const wishesOf = ({ mapping, groups }: Question): Wish[] => {
    const book = groupBook(groups);
    return board.table().rows.map((row) => readWish(row, mapping, book));
  };

  return {
    open: board.open,
    some: board.some,
    problems: board.problems,
    toSend: board.toSend,

    /** People come in portions; the first one begins anew. */
    addPeople(people: readonly Known[], anew: boolean): void {
      if (anew) {
        byId = new Map();
        byEmail = new Map();
      }
      for (const one of people) {
        byId.set(one.id, one);
        byEmail.set(emailKey(one.email), one);
      }
    },

    /** Whose federation id has to be read before the rows can be compared: the directory does not hold it. */
    federationOf(question: Question): number[] {
      if (!question.mapping.includes('federationId')) return [];
      return wishesOf(question).flatMap(({ id, email, federationId }) => {
        const known = id === undefined ? byEmail.get(emailKey(email ?? '')) : byId.get(id);
        return known && federationId !== undefined && known.federationId === undefined ? [known.id] : [];
      });
    },
    addFederation(known: readonly (readonly [id: number, federationId: string])[]): void {
      for (const [id, federationId] of known) {
        const one = byId.get(id);
        if (one) one.federationId = federationId;
      }
    },

    check(question: Question, barred = NONE): Counts {
      const { choices, may, me } = question;
      const book = groupBook(question.groups);
      const people = { byId, byEmail };
      return board.put(checkWishes(wishesOf(question), { people, book, choices, may, barred, me }));
    },

    /** The groups that the checked rows would give or take. */
    groupsTouched: (): number[] => [
      ...new Set(
        board
          .planned()
          .flatMap(({ work: { create, addGroups = [], removeGroups = [] } }) => [
            ...(create?.groups ?? []),
            ...addGroups,
            ...removeGroups,
          ]),
      ),
    ],
  };
}
