import { createStore } from '../../../ui/store.ts';

/** What to tell a person who was just created, until somebody has read it. */
export interface Created {
  userId: number;
  name: string;
  email: string;
  /** How they get in the first time. */
  entry: 'mailed' | 'password' | 'identity-manager';
  isActive: boolean;
}

export const handOver = createStore<Created | undefined>(undefined);
