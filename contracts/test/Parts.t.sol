// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TenantLots} from "../src/TenantLots.sol";
import {TenantTest} from "./support/TenantTest.sol";
import {Vm, vm} from "./support/Vm.sol";

/// A part of a lot changes hands.
contract PartsTest is TenantTest {
    uint8 private constant SHORTAGE = 1;
    uint8 private constant REFUSED = 3;

    function test_anOfferedPartIsALotOfItsOwnAndTheRestStays() public {
        uint256 id = mint(farm, 100);
        vm.recordLogs();
        uint256 no = offerPart(farm, id, 40, mill);
        uint256 part = id + 1;
        holds(id, farm, 60, ACTIVE);
        holds(part, farm, 40, IN_TRANSIT);
        equal(lots.lotOf(part).offerNo, no, "offer of the part");
        equal(lots.lotOf(id).offerNo, 0, "the lot itself was never offered");
        equal(lots.balanceOf(farm), 2, "tokens");
        equal(lots.nextTokenId(), part + 1, "next id");
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(logs.length, 3, "Transfer, LotSplit, CustodyOffered");
        equal(logs[1].topics[0], TenantLots.LotSplit.selector, "split");
        equal(uint256(logs[1].topics[1]), id, "of");
        equal(uint256(logs[1].topics[2]), part, "part");
        equal(keccak256(logs[1].data), keccak256(abi.encode(40, 0)), "quantity, no reason");
        equal(keccak256(logs[2].data), keccak256(abi.encode(one(part), 0, 0)), "the part is offered");
    }

    function test_oneCodeGoesToTwoCustomers() public {
        uint256 id = mint(farm, 100);
        accept(mill, offerPart(farm, id, 40, mill), id + 1);
        accept(shop, offerPart(farm, id, 25, shop), id + 2);
        holds(id, farm, 35, ACTIVE);
        holds(id + 1, mill, 40, ACTIVE);
        holds(id + 2, shop, 25, ACTIVE);
    }

    function test_severalPartsOfOneLotGoInOneOffer() public {
        uint256 id = mint(farm, 100);
        vm.prank(farm);
        uint256 no = lots.offerParts(two(id, id), two(30, 20), mill, noEvent);
        holds(id, farm, 50, ACTIVE);
        vm.prank(mill);
        lots.acceptCustody(no, two(id + 1, id + 2), noEvent);
        holds(id + 1, mill, 30, ACTIVE);
        holds(id + 2, mill, 20, ACTIVE);
    }

    function test_theSameLotTwiceGivesNotMoreThanThereIs() public {
        uint256 id = mint(farm, 100);
        bytes memory call = abi.encodeCall(TenantLots.offerParts, (two(id, id), two(60, 60), mill, noEvent));
        refuses(farm, call, abi.encodeWithSelector(TenantLots.OverConsumption.selector, id, 40, 60));
        holds(id, farm, 100, ACTIVE);
        equal(lots.nextTokenId(), id + 1, "nothing was split");
    }

    function test_allOfALotIsNoPart() public {
        uint256 id = mint(farm, 100);
        uint256 other = mint(farm, 0);
        vm.prank(farm);
        lots.offerParts(two(id, other), two(100, ALL), mill, noEvent);
        holds(id, farm, 100, IN_TRANSIT);
        equal(status(other), IN_TRANSIT, "uncounted, whole");
        equal(lots.nextTokenId(), other + 1, "no new lot");
    }

    function test_aContainerGoesWhole() public {
        uint256 box = pack(farm, mint(farm, 5));
        accept(mill, offerPart(farm, box, ALL, mill), box);
        equal(lots.custodianOf(box), mill, "container");
    }

    function test_aPartThatIsRejectedOrCancelledStaysALotOfItsOwn() public {
        uint256 id = mint(farm, 100);
        reject(mill, offerPart(farm, id, 40, mill), id + 1);
        cancel(farm, offerPart(farm, id, 10, mill), id + 2);
        holds(id, farm, 50, ACTIVE);
        holds(id + 1, farm, 40, ACTIVE);
        holds(id + 2, farm, 10, ACTIVE);
    }

    function test_aShortAcceptanceLeavesTheRestAtTheSender() public {
        uint256 id = mint(farm, 100);
        uint256 no = offer(farm, id, mill);
        vm.recordLogs();
        acceptPart(mill, no, id, 90, SHORTAGE);
        holds(id, mill, 90, ACTIVE);
        holds(id + 1, farm, 10, ACTIVE);
        equal(lots.balanceOf(farm), 1, "farm");
        equal(lots.balanceOf(mill), 1, "mill");
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(logs.length, 5, "Transfer, LotSplit, Transfer, CustodyAccepted, CustodyRejected");
        equal(keccak256(logs[1].data), keccak256(abi.encode(10, SHORTAGE)), "what is missing, and why");
        equal(keccak256(logs[3].data), keccak256(abi.encode(one(id), 0, 0)), "accepted");
        equal(keccak256(logs[4].data), keccak256(abi.encode(one(id + 1), 0)), "rejected");
        use(farm, id + 1, ALL);
        handOver(mill, id, shop);
    }

    function test_ofSeveralLotsSomeAreTakenWhole() public {
        (uint256 a, uint256 b) = (mint(farm, 10), mint(farm, 10));
        uint256 no = offer(farm, two(a, b), mill);
        vm.prank(mill);
        lots.acceptParts(no, two(a, b), two(ALL, 4), REFUSED, noEvent);
        holds(a, mill, 10, ACTIVE);
        holds(b, mill, 4, ACTIVE);
        holds(b + 1, farm, 6, ACTIVE);
    }

    function test_theEventsOfAHandOverNameTheParts() public {
        uint256 id = mint(farm, 100);
        (TenantLots.EventRef memory shipped, TenantLots.EventRef memory received) = (withEvent(), withEvent());
        vm.prank(farm);
        uint256 no = lots.offerParts(one(id), one(40), mill, shipped);
        equal(lots.eventCommitment(shipped.eventId), commitment(shipped, farm, one(id + 1)), "shipping");
        vm.prank(mill);
        lots.acceptParts(no, one(id + 1), one(35), SHORTAGE, received);
        equal(lots.eventCommitment(received.eventId), commitment(received, mill, one(id + 1)), "receiving");
    }

    function test_aPartIsUsedPackedAndSplitLikeAnyLot() public {
        uint256 id = mint(farm, 100);
        accept(mill, offerPart(farm, id, 40, mill), id + 1);
        use(mill, id + 1, 10);
        accept(shop, offerPart(mill, id + 1, 5, shop), id + 2);
        unpack(mill, pack(mill, id + 1));
        use(mill, id + 1, ALL);
        equal(remaining(id + 1), 0, "used up");
        holds(id + 2, shop, 5, ACTIVE);
    }

    function test_theEventThatMadeALotIsNotVoidedOnceItHasParts() public {
        TenantLots.Output[] memory made = output(farm, 100);
        TenantLots.Header memory header = recordWithHeader(farm, none(), none(), made);
        uint256 id = header.firstOutputId;
        cancel(farm, offerPart(farm, id, 40, mill), id + 1);
        refuses(admin, voidCall(header, none(), none(), made), touched(id));
        equal(lots.tokenOfTlc(made[0].tlcHash), id, "the code is the lot's");
    }

    function test_whatAnEventTookComesBackToThePartItTookItFrom() public {
        uint256 id = mint(farm, 100);
        cancel(farm, offerPart(farm, id, 40, mill), id + 1);
        TenantLots.Header memory header = recordWithHeader(farm, two(id, id + 1), two(50, 40), nothing());
        undo(farm, header, two(id, id + 1), two(50, 40), nothing());
        holds(id, farm, 60, ACTIVE);
        holds(id + 1, farm, 40, ACTIVE);
    }

    function test_aRecalledLotHasNoPartsAndGoesBackWhole() public {
        uint256 id = mint(farm, 100);
        recall(id);
        refuses(farm, offerPartCall(id, 40, recycler), isRecalled(id));
        refuses(farm, offerPartCall(id, 40, mill), isRecalled(id));
        accept(recycler, offerPart(farm, id, ALL, recycler), id);
        holds(id, recycler, 100, RECALLED);
    }

    function test_aRecallOfALotIsNoneOfItsParts() public {
        uint256 id = mint(farm, 100);
        uint256 no = offerPart(farm, id, 40, mill);
        recall(id);
        accept(mill, no, id + 1);
        holds(id + 1, mill, 40, ACTIVE);
        equal(lots.barredHeld(lots.accountOf(farm).party), 1, "held by the farm");
        equal(lots.barredHeld(lots.accountOf(mill).party), 0, "held by the mill");
    }

    function test_anApprovalIsNotForTheParts() public {
        uint256 id = mint(farm, 100);
        approve(farm, id, outsider);
        cancel(farm, offerPart(farm, id, 40, mill), id + 1);
        equal(lots.getApproved(id), outsider, "the lot");
        equal(lots.getApproved(id + 1), address(0), "the part");
    }

    function test_aLotOfABrokenContainerIsSettledWhenAPartOfItIsOffered() public {
        uint256 id = mint(farm, 100);
        uint256 box = pack(farm, id);
        handOver(farm, box, mill);
        unpack(mill, box);
        accept(shop, offerPart(mill, id, 40, shop), box + 1);
        equal(lots.ownerOf(id), mill, "settled");
        holds(id, mill, 60, ACTIVE);
        holds(box + 1, shop, 40, ACTIVE);
    }

    /// Whatever is split off, offered, taken and given back: it is as much as was minted.
    function testFuzz_quantitiesAddUp(uint80 quantity, uint80 offered, uint80 taken) public {
        uint256 made = 1 + uint256(quantity) % (1 << 79);
        uint256 offer_ = 1 + uint256(offered) % made;
        uint256 take_ = 1 + uint256(taken) % offer_;
        uint256 id = mint(farm, made);
        uint256 no = offerPart(farm, id, offer_, mill);
        uint256 part = offer_ == made ? id : id + 1;
        acceptPart(mill, no, part, take_, take_ == offer_ ? 0 : REFUSED);
        uint256 sum;
        for (uint256 i = id; i < lots.nextTokenId(); ++i) {
            sum += remaining(i);
        }
        equal(sum, made, "as much as was minted");
        holds(part, mill, take_, ACTIVE);
    }

    function holds(uint256 id, address holder, uint256 quantity, uint256 status_) private view {
        TenantLots.LotView memory lot = lots.lotOf(id);
        equal(lot.custodian, holder, "custodian");
        equal(lot.remaining, quantity, "remaining");
        equal(lot.status, status_, "status");
    }
}
