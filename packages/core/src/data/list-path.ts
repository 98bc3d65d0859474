/** The fields that lead to a list in a value: `steps`, `plan.steps`; `""` where the value is a list. Up to four of them. */
export type ListPath<Value, Depth extends 0[] = []> = Value extends readonly unknown[]
  ? ''
  : Depth['length'] extends 4
    ? never
    : Value extends object
      ? {
          [Key in keyof Value & string]-?: Joined<Key, ListPath<NonNullable<Value[Key]>, [...Depth, 0]>>
        }[keyof Value & string]
      : never

/** An item of the list at a path; unknown, as long as the value is. */
export type ItemAt<Value, Path extends string> = unknown extends Value
  ? unknown
  : Value extends unknown
    ? Path extends ''
      ? ItemOf<Value>
      : Path extends keyof Value
        ? ItemOf<NonNullable<Value[Path]>>
        : Path extends `${infer Key}.${infer Rest}`
          ? Key extends keyof Value
            ? ItemAt<NonNullable<Value[Key]>, Rest>
            : never
          : never
    : never

type ItemOf<Value> = Value extends readonly (infer Item)[] ? Item : never

type Joined<Key extends string, Rest extends string> = Rest extends '' ? Key : `${Key}.${Rest}`
