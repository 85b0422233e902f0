import type { TestApp } from './app.js';

/** Somebody with a session, who asks GraphQL as the console does. */
export interface Member {
  id: string;
  email: string;
  cookie: string;
  /** @returns the operation's data; throws an error with the first fault's `code` */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  ask(query: string, variables?: object): Promise<any>;
}

export async function signUpMember(app: TestApp): Promise<Member> {
  const { email, cookie } = await app.signUp();
  const [user] = await app.db.query<{ id: string }>(`select id from auth."user" where email = $1`, [email]);
  return {
    id: user!.id,
    email,
    cookie,
    ask: async (query, variables) => {
      const { data, errors } = await app.graphql(cookie, query, variables);
      if (errors) throw Object.assign(new Error(errors[0].message), { code: errors[0].extensions.code });
      return data;
    },
  };
}

export async function signUpOperator(app: TestApp): Promise<Member> {
  const member = await signUpMember(app);
  await app.db.query(`update auth."user" set role = 'admin' where id = $1`, [member.id]);
  return member;
}
