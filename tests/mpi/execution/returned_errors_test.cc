#include "mpi/execution/returned_errors.h"

#include <gtest/gtest.h>

#include "harness.h"

namespace starling {
namespace {

int times_called = 0;

void countError(MPI_Comm* /*communicator*/, int* /*code*/, ...) { ++times_called; }

// A communicator and an error handler of the program's.
class ReturnedErrorsTest : public testing::Test {
 protected:
  ReturnedErrorsTest() {
    times_called = 0;
    MPI_Comm_dup(MPI_COMM_SELF, &communicator_);
    MPI_Comm_create_errhandler(countError, &counts_);
  }
  ~ReturnedErrorsTest() override {
    MPI_Errhandler_free(&counts_);
    MPI_Comm_free(&communicator_);
  }

  // Returns whether MPI calls the handler for an error on the communicator.
  bool isCalled() const {
    times_called = 0;
    EXPECT_NE(MPI_Send(nullptr, 0, MPI_INT, 7, 0, communicator_), MPI_SUCCESS);
    return times_called > 0;
  }

  Watch watch_{"ReturnedErrors"};
  MPI_Comm communicator_ = MPI_COMM_NULL;
  MPI_Errhandler counts_ = MPI_ERRHANDLER_NULL;
};

TEST_F(ReturnedErrorsTest, areReturnedForAWhile) {
  MPI_Comm_set_errhandler(communicator_, counts_);
  EXPECT_TRUE(isCalled());
  {
    const ReturnedErrors returned(communicator_);
    EXPECT_FALSE(isCalled());
  }
  EXPECT_TRUE(isCalled());
}

TEST_F(ReturnedErrorsTest, leaveAHandlerThatIsSetMeanwhile) {
  MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_ARE_FATAL);
  {
    const ReturnedErrors returned(communicator_);
    MPI_Comm_set_errhandler(communicator_, counts_);
  }
  EXPECT_TRUE(isCalled());
}

}  // namespace
}  // namespace starling
