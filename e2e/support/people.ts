/** Who acts in the tests. */
export interface Person {
  email: string;
  password: string;
}

/** The first administrator of an installation that begins with one. */
export const ada: Person = { email: 'ada.marsh@steward.example', password: 'grey herons over the weir' };
