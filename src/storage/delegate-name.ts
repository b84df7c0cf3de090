/** Returns the name that Prisma's client gives the delegate of a model. */
export function delegateName<M extends string>(model: M): Uncapitalize<M> {
  // What `Uncapitalize` says of types.
  return `${model.charAt(0).toLowerCase()}${model.slice(1)}` as Uncapitalize<M>;
}
