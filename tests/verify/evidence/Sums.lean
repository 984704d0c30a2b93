namespace Sums

/-- Sum of the first n odd numbers. -/
def odd : Nat → Nat
  | 0 => 0
  | n + 1 => odd n + (2 * n + 1)

theorem odd_zero : odd 0 = 0 := rfl

theorem congruent {m n : Nat} (h : m = n) : odd m = odd n := h ▸ rfl

theorem by_three {α : Type} (r : α → α → Prop) (a b : α) (related : r a b) (p q : Prop)
    (same : p ↔ q) (some : Nonempty α) :
    Quot.mk r a = Quot.mk r b ∧ p = q ∧ Classical.choice some = Classical.choice some :=
  ⟨Quot.sound related, propext same, rfl⟩

theorem hole : odd 1 = 2 := sorry

axiom extra : odd 3 = 10

theorem from_axiom : odd 3 = 10 := extra

theorem native : odd 10 = 100 := by native_decide

end Sums

#eval IO.println "'Sums.hole' does not depend on any axioms"
